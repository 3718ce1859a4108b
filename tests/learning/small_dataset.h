// A small dataset on the interval, whose Green's function is known.

#ifndef evergreen_tests_learning_small_dataset_h
#define evergreen_tests_learning_small_dataset_h

#include "testing.h"

#include <evergreen/data/generator.h>
#include <evergreen/fem/mesh_space.h>
#include <evergreen/fem/problems.h>
#include <evergreen/kernel/errors.h>
#include <evergreen/learning/learner.h>

namespace Evergreen
{
  namespace Testing
  {
    /**
     * A dataset of Poisson's equation on a mesh of dimension @p dim, the space
     * of its mesh, and the problem that made it.
     */
    template <int dim>
    struct SmallDataset
    {
      Mesh<dim>                      mesh;
      MeshSpace<dim>                 space;
      Poisson<dim>                   problem;
      std::unique_ptr<DatasetReader> reader;
      Samples                        samples; // for training

      SmallDataset(const DomainParameters &domain,
                   const std::string      &path,
                   const std::size_t       n_train      = 60,
                   const double            noise        = 0.,
                   const MPI_Comm          communicator = MPI_COMM_SELF)
        : mesh(domain, communicator), space(mesh, 1)
      {
        problem.set_up(space);
        ForcingParameters forcing;
        forcing.wavelength = 0.4;
        forcing.noise      = noise;
        DatasetParameters dataset;
        dataset.n_training_samples = n_train;
        dataset.n_test_samples     = 20;
        generate_dataset(problem, forcing, dataset, path);
        MPI_Barrier(communicator);
        reader  = std::make_unique<DatasetReader>(path);
        samples = load_samples(*reader, Split::train, space);
      }
    };

    /** The errors of all levels of a kernel, by the data and their problem. */
    template <int dim>
    KernelErrors
    errors_of(SmallDataset<dim> &data, const LearnedKernel &kernel)
    {
      const auto tests = read_test_set(data.space,
                                       *data.reader,
                                       Split::test,
                                       kernel.response,
                                       kernel.quadrature);
      return kernel_errors<dim>(kernel, data.space, &tests, &data.problem);
    }


    inline DomainParameters
    small_interval()
    {
      DomainParameters domain;
      domain.name         = "interval";
      domain.subdivisions = 40;
      return domain;
    }

    inline LearningParameters
    quick_learning(const unsigned int neurons)
    {
      LearningParameters parameters;
      parameters.neurons  = neurons;
      parameters.size     = 128;
      parameters.stopping = "neurons";
      return parameters;
    }
  } // namespace Testing
} // namespace Evergreen

#endif
