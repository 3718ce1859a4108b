// Where Evergreen's own files are found at run time, and new ones are put.

#ifndef evergreen_base_locations_h
#define evergreen_base_locations_h

#include <string>

namespace Evergreen
{
  /**
   * The full path of a file that Evergreen ships, for example
   * <tt>meshes/disk_triangles.msh</tt>. Looks in the directory named by the
   * environment variable EVERGREEN_DATA, in the source tree and in the
   * installation, in this order; an Error names them all if the file is in
   * none.
   */
  std::string
  find_shipped_file(const std::string &name);

  /** Makes a directory with its parents, unless it exists, or throws an Error.
   */
  void
  make_directory(const std::string &path);
} // namespace Evergreen

#endif
