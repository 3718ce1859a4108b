// The mesh of a twin of a domain of ours, and the forcings that suit it.

#ifndef evergreen_twin_twin_mesh_h
#define evergreen_twin_twin_mesh_h

#include <evergreen/fem/mesh.h>
#include <evergreen/twin/twin_parameters.h>

#include <string>

namespace Evergreen
{
  /**
   * The mesh that 'Twin/Mesh' means for a domain: the domain's own, the domain
   * refined less, or a file. A UsageError says if the domain cannot be
   * coarsened as often. Every rank makes it for itself.
   */
  MeshData
  twin_mesh(const DomainParameters &domain, const TwinParameters &twin);

  /**
   * The correlation lengths of forcings that a twin should be learned from: 4,
   * 2 and 1.2 of its cells, as 'Forcing/Length' takes them.
   */
  std::string
  training_lengths(const DomainParameters &domain, const TwinParameters &twin);
} // namespace Evergreen

#endif
