// A dataset on a finite element space as the plain arrays that the dictionary
// and the greedy algorithms work on.

#ifndef evergreen_learning_learning_data_h
#define evergreen_learning_learning_data_h

#include <evergreen/base/compat.h>

#include <evergreen/data/dataset_file.h>
#include <evergreen/dictionary/quadrature_rule.h>
#include <evergreen/fem/space.h>

#include <cstddef>
#include <string>
#include <vector>

namespace Evergreen
{
  /**
   * This rank's part of the quadrature. The rows of the rule are the degrees
   * of freedom of the rank's cells: first the locally owned ones in their
   * order, then copies of those that other ranks own.
   */
  struct DistributedRule
  {
    QuadratureRule rule;

    /** The number of locally owned degrees of freedom. */
    std::size_t n_owned = 0;

    /** The nodes of all rows. */
    std::vector<std::size_t> nodes;
  };

  /**
   * The quadrature of a finite element space: its Gauss points
   * (\f$B_{kq}=w_q\varphi_k(y_q)\f$), or the paper's Monte-Carlo rule with the
   * nodes as points and the weights \f$|\Omega|/m\f$.
   */
  template <int dim>
  DistributedRule
  make_rule(const Space<dim> &space, const bool monte_carlo);

  /**
   * Positive weights of the local nodes that add up to the measure of the
   * domain, for norms over nodes (the diagonal of the mass matrix, scaled cell
   * by cell).
   */
  template <int dim>
  std::vector<double>
  nodal_weights(const Space<dim> &space);

  /** The nodal_weights() of all nodes, on all ranks. Collective. */
  template <int dim>
  std::vector<double>
  all_nodal_weights(const Space<dim> &space);

  /**
   * Samples as columns: for every valid sample of a split the values at
   * @p nodes. Only one of forcings and solutions is read.
   */
  enum class Quantity
  {
    forcing,
    solution
  };
  std::vector<double>
  read_columns(const DatasetReader            &reader,
               const Split                     split,
               const Quantity                  quantity,
               const std::vector<std::size_t> &nodes);

  /**
   * The nodes at which slices of the kernel are wanted, in increasing order:
   * those nearest to @p sensors or, without any, all nodes that are not on
   * the boundary of the data.
   */
  std::vector<std::int64_t>
  response_nodes(const MeshData                         &mesh,
                 const std::vector<std::vector<double>> &sensors);
} // namespace Evergreen

#endif
