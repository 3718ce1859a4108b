"""Reads the VTU files that deal.II writes, with nothing but numpy."""

import base64
import xml.etree.ElementTree as ElementTree
import zlib

import numpy

_types = {"Float32": "<f4", "Float64": "<f8", "Int32": "<i4", "UInt32": "<u4",
          "Int64": "<i8", "UInt64": "<u8", "UInt8": "u1", "Int8": "i1"}


def _decode(array):
    """The numbers of a DataArray: as text, or compressed and in base 64."""
    kind = _types[array.get("type")]
    text = array.text.strip()
    if array.get("format") == "ascii":
        return numpy.array(text.split(), dtype=float).astype(kind)
    # The number of blocks, their size, that of the last one, and their
    # compressed sizes; then the blocks.
    n_blocks = numpy.frombuffer(base64.b64decode(text[:8])[:4], "<u4")[0]
    n_header = 4 * (3 + int(n_blocks))
    n_characters = (n_header + 2) // 3 * 4
    header = numpy.frombuffer(base64.b64decode(text[:n_characters])[:n_header], "<u4")
    data, position, result = base64.b64decode(text[n_characters:]), 0, b""
    for size in header[3:]:
        result += zlib.decompress(data[position:position + int(size)])
        position += int(size)
    return numpy.frombuffer(result, kind)


def read_vtu(path):
    """Points (n x 3), cells (n x vertices, all of one type) and fields."""
    points, cells, fields = [], [], {}
    n_before = 0
    for piece in ElementTree.parse(path).getroot().iter("Piece"):
        if int(piece.get("NumberOfCells")) == 0:
            continue
        points.append(_decode(piece.find("Points/DataArray")).reshape(-1, 3))
        arrays = {a.get("Name"): a for a in piece.find("Cells")}
        n_cells = len(_decode(arrays["offsets"]))
        connectivity = _decode(arrays["connectivity"]).astype(int)
        cells.append(connectivity.reshape(n_cells, -1) + n_before)
        n_before += len(points[-1])
        for array in piece.find("PointData"):
            fields.setdefault(array.get("Name"), []).append(_decode(array))
    return (numpy.vstack(points), numpy.vstack(cells),
            {name: numpy.concatenate(parts) for name, parts in fields.items()})
