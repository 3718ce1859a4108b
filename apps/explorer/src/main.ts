document.getElementById("app")!.textContent = "";
