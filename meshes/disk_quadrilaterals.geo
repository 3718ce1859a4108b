// The unit disk meshed with quadrilaterals:
// 833 nodes, 786 quadrilaterals with Gmsh 4.8.4.
// Physical ids: 1 = the boundary circle, 2 = the disk. See README.md.
SetFactory("OpenCASCADE");

size = 0.0695;

Disk(1) = {0, 0, 0, 1};

Mesh.MeshSizeMin = size;
Mesh.MeshSizeMax = size;
Mesh.Algorithm = 6; // frontal Delaunay
Mesh.RecombineAll = 1;
Mesh.MshFileVersion = 4.1;

Physical Curve("boundary", 1) = Boundary{ Surface{1}; };
Physical Surface("domain", 2) = {1};
