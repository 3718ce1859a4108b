// Where files are: those that Evergreen ships, and those that it writes.

#ifndef evergreen_base_locations_h
#define evergreen_base_locations_h

#include <functional>
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

  /** Makes a directory and those that it is in, or throws an Error. */
  void
  make_directory(const std::string &path);

  /**
   * Lets @p write make a file beside its place, whose name it is given, and
   * renames it: whatever happens, the old file is there or the new one, as a
   * whole. Throws an Error if it cannot.
   */
  void
  replace_file(const std::string                              &path,
               const std::function<void(const std::string &)> &write);
} // namespace Evergreen

#endif
