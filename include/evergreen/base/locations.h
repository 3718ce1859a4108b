// Where Evergreen's own meshes are found at run time.

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
} // namespace Evergreen

#endif
