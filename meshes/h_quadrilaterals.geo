// The H-shaped domain in [-1,1]^2 meshed with quadrilaterals:
// 997 nodes, 904 quadrilaterals with Gmsh 4.8.4.
// Legs and bar are 2/3 wide, a third of the side. One polygon of 12 corners:
// a union of rectangles would leave interior curves in the mesh.
// Physical ids: 1 = the boundary, 2 = the H. See README.md.

size = 0.06566;
a = 1/3;

Point(1) = {-1, -1, 0};
Point(2) = {-a, -1, 0};
Point(3) = {-a, -a, 0};
Point(4) = { a, -a, 0};
Point(5) = { a, -1, 0};
Point(6) = { 1, -1, 0};
Point(7) = { 1,  1, 0};
Point(8) = { a,  1, 0};
Point(9) = { a,  a, 0};
Point(10) = {-a,  a, 0};
Point(11) = {-a,  1, 0};
Point(12) = {-1,  1, 0};
For i In {1:11}
  Line(i) = {i, i + 1};
EndFor
Line(12) = {12, 1};
Curve Loop(1) = {1:12};
Plane Surface(1) = {1};

Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeMax = size;
Mesh.Algorithm = 6; // frontal Delaunay
Mesh.RecombineAll = 1;
Mesh.MshFileVersion = 4.1;

Physical Curve("boundary", 1) = {1:12};
Physical Surface("domain", 2) = {1};
