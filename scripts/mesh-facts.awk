# Reads a two-dimensional Gmsh mesh (format 4.1, ASCII) and prints one line of
# facts, "nodes triangles quadrilaterals boundary-faces area", after checking
# that every node is used, every cell is counter-clockwise and convex, the mesh
# is connected, and the faces with one cell are exactly the boundary group.
# Complaints go to stderr; then the exit status is 1.
#
#   awk -f scripts/mesh-facts.awk meshes/disk_triangles.msh

function fail(message) {
  print FILENAME ": " message > "/dev/stderr"
  failed = 1
  exit 1
}

function face(a, b) { return a + 0 < b + 0 ? a " " b : b " " a }

# Union-find over nodes, with path halving.
function find(a) {
  while (parent[a] != a) {
    parent[a] = parent[parent[a]]
    a = parent[a]
  }
  return a
}

function add_cell(n,    i, j, k, a, b, c, cross) {
  for (i = 0; i < n; ++i) {
    a = $(2 + i)
    b = $(2 + (i + 1) % n)
    c = $(2 + (i + 2) % n)
    if (!(a in x)) fail("cell " $1 " names the unknown node " a)
    if (!(b in x)) fail("cell " $1 " names the unknown node " b)
    if (!(c in x)) fail("cell " $1 " names the unknown node " c)
    cross = (x[b] - x[a]) * (y[c] - y[b]) - (y[b] - y[a]) * (x[c] - x[b])
    if (!(cross > 0)) fail("cell " $1 " is inverted or degenerate at node " b)
    area += (x[a] * y[b] - x[b] * y[a]) / 2
    used[a] = 1
    if (++cells_at[face(a, b)] > 2) fail("face " face(a, b) " has three cells")
    parent[find(a)] = find(b)
  }
}

{ sub(/\r$/, "") }

/^\$/ {
  section = substr($1, 2)
  header = 1
  left = 0
  next
}

section == "MeshFormat" && ($1 != "4.1" || $2 != 0) { fail("not format 4.1 ASCII") }

section == "Entities" && header {
  n_points = $1
  n_curves = $2
  n_surfaces = $3
  header = 0
  line = 0
  next
}

# tag, box (6 numbers), number of physical groups, the groups, ...
section == "Entities" {
  ++line
  if (line > n_points && line <= n_points + n_curves && $8 > 0) curve_group[$1] = $9
  if (line > n_points + n_curves && $8 > 0) surface_group[$1] = $9
  next
}

section == "Nodes" && header {
  n_nodes = $2
  header = 0
  next
}
section == "Nodes" && left == 0 {
  left = 2 * $4
  half = $4
  n = 0
  next
}
section == "Nodes" {
  --left
  if (left >= half) {
    tag[n++] = $1
  } else {
    node = tag[half - 1 - left]
    x[node] = $1
    y[node] = $2
    if ($3 != 0) fail("node " node " is not in the plane")
    parent[node] = node
    ++read_nodes
  }
  next
}

section == "Elements" && header {
  header = 0
  next
}
section == "Elements" && left == 0 {
  type = $3
  left = $4
  if (type == 1 && !(curve_group[$2] > 0)) fail("curve " $2 " is in no physical group")
  if ((type == 2 || type == 3) && !(surface_group[$2] > 0)) fail("surface " $2 " is in no physical group")
  next
}
section == "Elements" {
  --left
  if (type == 1) {
    on_boundary[face($2, $3)] = 1
    ++lines
  } else if (type == 2) {
    add_cell(3)
    ++triangles
  } else if (type == 3) {
    add_cell(4)
    ++quadrilaterals
  } else if (type != 15) {
    fail("cells of Gmsh's type " type " are not expected here")
  }
}

END {
  if (failed) exit 1
  if (section != "EndElements") fail("the file is not complete")
  if (read_nodes != n_nodes) fail("announces " n_nodes " nodes, has " read_nodes + 0)
  for (node in x) {
    if (!(node in used)) fail("node " node " belongs to no cell")
    roots[find(node)] = 1
  }
  for (r in roots) ++components
  if (components != 1) fail("has " components + 0 " components")
  for (f in cells_at)
    if (cells_at[f] == 1 && !(f in on_boundary)) fail("face " f " is outside, but not in the boundary group")
  for (f in on_boundary)
    if (cells_at[f] != 1) fail("face " f " is in the boundary group, but not outside")
  printf "%d %d %d %d %.6f\n", n_nodes, triangles, quadrilaterals, lines, area
}
