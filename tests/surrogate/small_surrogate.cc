#include "surrogate/small_surrogate.h"

namespace Evergreen
{
  namespace Testing
  {
    namespace
    {
      std::unique_ptr<SmallSurrogate<2>> disk;
      std::unique_ptr<SmallSurrogate<3>> cube;

      /** The meshes must be gone before MPI is. */
      class Cleaner : public ::testing::Environment
      {
        void
        TearDown() override
        {
          disk.reset();
          cube.reset();
        }
      };
      const auto *const cleaner =
        ::testing::AddGlobalTestEnvironment(new Cleaner);
    } // namespace


    const SmallSurrogate<2> &
    disk_surrogate()
    {
      if (disk == nullptr)
        disk = std::make_unique<SmallSurrogate<2>>(
          disk_domain(), std::make_unique<Poisson<2>>(), 0.2, 500, 128);
      return *disk;
    }


    const SmallSurrogate<3> &
    cube_surrogate()
    {
      DomainParameters domain;
      domain.name         = "cube";
      domain.subdivisions = 8;
      if (cube == nullptr)
        cube = std::make_unique<SmallSurrogate<3>>(
          domain, std::make_unique<Poisson<3>>(), 0.3, 400, 96);
      return *cube;
    }
  } // namespace Testing
} // namespace Evergreen
