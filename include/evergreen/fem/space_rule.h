// The quadrature of a finite element space.

#ifndef evergreen_fem_space_rule_h
#define evergreen_fem_space_rule_h

#include <evergreen/base/compat.h>

#include <evergreen/fem/boundary_data.h>
#include <evergreen/fem/quadrature_rule.h>
#include <evergreen/fem/space.h>

#include <cstddef>
#include <string>
#include <vector>

namespace Evergreen
{
  /** The rules that integrate kernels against forcings. */
  enum class QuadratureKind
  {
    finite_element, ///< the Gauss points of the space, with a near field
    monte_carlo, ///< the paper's: the nodes, with the weights |Omega| / m
    boundary_values, ///< the faces that take boundary values, see Input
    boundary_fluxes ///< the faces that take boundary fluxes
  };

  /**
   * The kind that files call "fe", "monte-carlo", "boundary-values" or
   * "boundary-fluxes".
   */
  QuadratureKind
  quadrature_kind(const std::string &name);

  /** What a rule integrates against. */
  Input
  input_of(const QuadratureKind kind);

  /**
   * This rank's part of the quadrature. The rows of the rule are the degrees
   * of freedom of the rank's cells, or of its faces at the boundary: first the
   * locally owned ones in their order, then copies of those that other ranks
   * own.
   */
  struct DistributedRule
  {
    QuadratureRule rule;

    /** The number of rows that are locally owned degrees of freedom. */
    std::size_t n_owned = 0;

    /** The nodes of all rows. */
    std::vector<std::size_t> nodes;
  };

  /**
   * The Gauss points of a finite element space, without a near field:
   * \f$B_{kq}=w_q\varphi_k(y_q)\f$ for all shape functions of a cell, whether
   * constrained or not: on meshes with hanging nodes, too, this integrates
   * against forcings whose values at these nodes are consistent. Collective.
   */
  template <int dim>
  DistributedRule
  gauss_rule(const Space<dim> &space);

  /** A rule of any kind, to integrate kernels. Collective. */
  template <int dim>
  DistributedRule
  make_rule(const Space<dim>    &space,
            const QuadratureKind kind = QuadratureKind::finite_element);

  /**
   * Positive weights of the local nodes that add up to the measure of the
   * domain, for norms over nodes (the diagonal of the mass matrix, scaled cell
   * by cell). Collective.
   */
  template <int dim>
  std::vector<double>
  nodal_weights(const Space<dim> &space);

  /**
   * The nodal_weights() of all nodes, on all ranks, or the boundary_weights()
   * if the input is data on the boundary. Collective.
   */
  template <int dim>
  std::vector<double>
  all_nodal_weights(const Space<dim> &space,
                    const Input       input = Input::forcing);

  /**
   * For the rows of a rule the values of columns of local nodal values. On one
   * rank with a rule for the whole space these are the columns themselves, and
   * @p buffer stays as it is. Collective.
   */
  template <int dim>
  const double *
  values_at_rows(const Space<dim>      &space,
                 const DistributedRule &rule,
                 const double          *columns,
                 const std::size_t      n_columns,
                 std::vector<double>   &buffer);
} // namespace Evergreen

#endif
