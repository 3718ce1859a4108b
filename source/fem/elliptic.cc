#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/fem/elliptic.h>
#include <evergreen/fem/mesh.h>
#include <evergreen/fem/singular_quadrature.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    constexpr const char *key_of_condition[] = {"'Dirichlet'",
                                                "'Neumann'",
                                                "'Robin'"};

    std::string
    key_of(const BoundaryCondition condition)
    {
      return key_of_condition[static_cast<int>(condition)];
    }


    // A frame's exponential factor should change by more than rounding errors
    // over the domain, and not leave the range of numbers.
    constexpr double smallest_drift = 1e-6;
    constexpr double largest_drift  = 100.;


    /** The place of a formula in a parameter file. */
    std::string
    in_problem(const std::string &key)
    {
      return "'" + key + "' in section 'Problem'";
    }


    /** A scalar, a diagonal or a whole symmetric tensor. */
    template <int dim>
    SymmetricTensor<2, dim>
    as_tensor(const typename NumberedFunctions<dim>::Functions &functions,
              const Point<dim>                                 &point)
    {
      SymmetricTensor<2, dim> a;
      for (unsigned int i = 0; i < std::max<std::size_t>(functions.size(), dim);
           ++i)
        a.access_raw_entry(i) =
          functions[functions.size() == 1 ? 0 : i]->value(point);
      return a;
    }


    /** The least and the greatest eigenvalue. */
    template <int dim>
    std::pair<double, double>
    extreme_eigenvalues(const SymmetricTensor<2, dim> &a)
    {
      const auto values = eigenvalues(a);
      const auto [least, greatest] =
        std::minmax_element(values.begin(), values.end());
      return {*least, *greatest};
    }


    bool
    precedes(const Point<1> &a, const Point<1> &b)
    {
      return a[0] < b[0];
    }

    template <int dim>
    bool
    precedes(const Point<dim> &a, const Point<dim> &b)
    {
      return std::lexicographical_compare(a.begin_raw(),
                                          a.end_raw(),
                                          b.begin_raw(),
                                          b.end_raw());
    }
  } // namespace


  BoundaryConditions::BoundaryConditions(const EllipticParameters &parameters)
  {
    const auto add_list = [&](const BoundaryCondition condition,
                              const std::string      &list) {
      if (list == "all")
        add(condition, {}, true);
      else
        add(condition,
            parse_numbers(list,
                          in_problem(condition == BoundaryCondition::dirichlet
                                       ? "Dirichlet"
                                       : "Neumann")),
            false);
    };
    add_list(BoundaryCondition::dirichlet, parameters.dirichlet);
    add_list(BoundaryCondition::neumann, parameters.neumann);
    for (const auto &[ids, formula] :
         parse_numbered_formulas(parameters.robin, in_problem("Robin")))
      add(BoundaryCondition::robin, ids, ids.empty());
    if (!others_ && parameters.dirichlet.empty())
      others_ = BoundaryCondition::dirichlet;
  }


  void
  BoundaryConditions::add(const BoundaryCondition          condition,
                          const std::vector<unsigned int> &ids,
                          const bool                       others)
  {
    if (others && others_)
      throw UsageError(key_of(*others_),
                       " and ",
                       key_of(condition),
                       " in section 'Problem' are both for all boundary ids "
                       "that are named nowhere else: name those of one.");
    if (others)
      others_ = condition;
    for (const auto id : ids)
      if (const auto [entry, is_new] = by_id_.emplace(id, condition); !is_new)
        throw UsageError("The boundary id ",
                         id,
                         " has two conditions, ",
                         key_of(entry->second),
                         " and ",
                         key_of(condition),
                         " in section 'Problem': name it once.");
  }


  BoundaryCondition
  BoundaryConditions::of(const types::boundary_id id) const
  {
    const auto found = by_id_.find(id);
    if (found != by_id_.end())
      return found->second;
    if (!others_)
      throw UsageError("The boundary id ",
                       id,
                       " has no condition: name it in 'Dirichlet', 'Neumann' "
                       "or 'Robin' in section 'Problem', or write 'all' there "
                       "once.");
    return *others_;
  }


  std::set<types::boundary_id>
  BoundaryConditions::named_ids() const
  {
    std::set<types::boundary_id> ids;
    for (const auto &entry : by_id_)
      ids.insert(entry.first);
    return ids;
  }


  bool
  BoundaryConditions::may_have(const BoundaryCondition condition) const
  {
    return others_ == condition ||
           std::any_of(by_id_.begin(), by_id_.end(), [&](const auto &entry) {
             return entry.second == condition;
           });
  }


  template <int dim>
  Elliptic<dim>::Elliptic(const EllipticParameters  &parameters,
                          const LinearSolver::Method method)
    : GalerkinProblem<dim>(method)
    , parameters_(parameters)
    , conditions_(parameters)
    , diffusion_(parameters.diffusion,
                 {1, dim, dim * (dim + 1) / 2},
                 in_problem("Diffusion"))
    , advection_(parameters.advection, {dim}, in_problem("Advection"))
    , reaction_(parameters.reaction, {1}, in_problem("Reaction"))
    , robin_(parameters.robin, {1}, in_problem("Robin"))
  {
    parameters.check();
    if (diffusion_.empty())
      throw UsageError(
        "'Diffusion' in section 'Problem' is empty: it must be "
        "a positive formula.");
  }


  template <int dim>
  void
  Elliptic<dim>::set_up(const Space<dim> &space)
  {
    this->space_ = &space;
    anchor_.reset();
    make_medium(space);
    check_ids();
    const Ranges ranges = find_ranges();

    const auto ids = boundary_ids(space.dof_handler().get_triangulation(),
                                  space.communicator());
    const bool is_fixed =
      ranges.greatest_reaction > 0 || ranges.greatest_robin > 0 ||
      std::any_of(ids.begin(), ids.end(), [&](const auto id) {
        return vanishes_on(id);
      });
    const bool is_signed = ranges.least_reaction < 0 || ranges.least_robin < 0;
    if (!is_fixed && !is_signed)
      find_anchor(ranges.greatest_diffusion);
    is_definite_ = advection_.empty() && !is_signed;

    GalerkinProblem<dim>::set_up(space);
    if (is_singular())
      find_adjoint();
    remark(ranges);
  }


  template <int dim>
  void
  Elliptic<dim>::make_medium(const Space<dim> &space)
  {
    if (parameters_.medium.is_present())
      collectively(space.communicator(), [&]() {
        medium_ =
          std::make_unique<Medium<dim>>(parameters_.medium,
                                        bounding_box<dim>(space.points()));
      });
  }


  template <int dim>
  void
  Elliptic<dim>::check_ids() const
  {
    const auto &triangulation = this->space().dof_handler().get_triangulation();
    const MPI_Comm communicator = this->space().communicator();
    const auto     in_mesh      = boundary_ids(triangulation, communicator);
    const auto     list         = [](const auto &ids) {
      std::string result;
      for (const auto id : ids)
        result += (result.empty() ? "" : ", ") + std::to_string(id);
      return result;
    };
    for (const auto id : in_mesh)
      conditions_.of(id);
    for (const auto id : conditions_.named_ids())
      if (in_mesh.count(id) == 0)
        throw UsageError("The mesh has no boundary id ",
                         id,
                         ", which ",
                         key_of(conditions_.of(id)),
                         " in section 'Problem' names; it has ",
                         list(in_mesh),
                         ".");

    const auto materials = material_ids(triangulation, communicator);
    for (const auto *const coefficient : {&diffusion_, &advection_, &reaction_})
      if (!coefficient->empty())
        {
          for (const auto material : materials)
            coefficient->of(material);
          for (const auto number : coefficient->numbers())
            if (materials.count(number) == 0)
              throw UsageError("The mesh has no material ",
                               number,
                               ", for which a coefficient in section 'Problem' "
                               "has a formula; it has ",
                               list(materials),
                               ".");
        }
  }


  template <int dim>
  typename Elliptic<dim>::Ranges
  Elliptic<dim>::find_ranges() const
  {
    const auto  &space    = this->space();
    const double infinite = std::numeric_limits<double>::infinity();
    Ranges       ranges;
    ranges.least_diffusion = infinite;
    collectively(space.communicator(), [&]() {
      FEValues<dim> values(space.mapping(),
                           space.fe(),
                           space.quadrature(),
                           update_quadrature_points);
      for (const auto &cell : space.dof_handler().active_cell_iterators())
        if (cell->is_locally_owned())
          {
            values.reinit(cell);
            const double h = cell->diameter() / std::sqrt(double(dim));
            for (const auto &point : values.get_quadrature_points())
              {
                const auto a = diffusion(point, cell->material_id());
                const auto [least, greatest] = extreme_eigenvalues(a);
                const auto b = advection(point, cell->material_id()).norm();
                const auto c = reaction(point, cell->material_id());
                if (!(least > 0) || !std::isfinite(a.norm()))
                  throw Error("The diffusion coefficient is not positive",
                              dim > 1 ? " (definite)" : "",
                              ": at (",
                              point,
                              ") its least eigenvalue is ",
                              least,
                              "; change 'Diffusion' in section 'Problem'.");
                if (!std::isfinite(b) || !std::isfinite(c))
                  throw Error("At (",
                              point,
                              ") 'Advection' or 'Reaction' in section "
                              "'Problem' is no finite number.");
                ranges.least_diffusion =
                  std::min(ranges.least_diffusion, least);
                ranges.greatest_diffusion =
                  std::max(ranges.greatest_diffusion, greatest);
                ranges.advection = std::max(ranges.advection, b);
                ranges.peclet    = std::max(ranges.peclet, b * h / (2 * least));
                ranges.least_reaction = std::min(ranges.least_reaction, c);
                ranges.greatest_reaction =
                  std::max(ranges.greatest_reaction, c);
              }
          }
      if (!robin_.empty())
        add_ranges_of_boundary(ranges);
    });
    const MPI_Comm communicator = space.communicator();
    for (double *const least :
         {&ranges.least_diffusion, &ranges.least_reaction, &ranges.least_robin})
      *least = Collective::minimum(communicator, *least);
    for (double *const greatest : {&ranges.greatest_diffusion,
                                   &ranges.advection,
                                   &ranges.peclet,
                                   &ranges.greatest_reaction,
                                   &ranges.greatest_robin})
      *greatest = Collective::maximum(communicator, *greatest);
    return ranges;
  }


  template <int dim>
  void
  Elliptic<dim>::add_ranges_of_boundary(Ranges &ranges) const
  {
    const auto       &space = this->space();
    FEFaceValues<dim> values(space.mapping(),
                             space.fe(),
                             face_quadratures<dim>(space.fe().reference_cell(),
                                                   space.degree() + 1),
                             update_quadrature_points);
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      if (cell->is_locally_owned())
        for (const auto f : cell->face_indices())
          if (cell->at_boundary(f) &&
              conditions_.of(cell->face(f)->boundary_id()) ==
                BoundaryCondition::robin)
            {
              values.reinit(cell, f);
              for (const auto &point : values.get_quadrature_points())
                {
                  const double alpha =
                    robin(point, cell->face(f)->boundary_id());
                  if (!std::isfinite(alpha))
                    throw Error("At (",
                                point,
                                ") the coefficient of 'Robin' in section "
                                "'Problem' is no finite number.");
                  ranges.least_robin = std::min(ranges.least_robin, alpha);
                  ranges.greatest_robin =
                    std::max(ranges.greatest_robin, alpha);
                }
            }
  }


  template <int dim>
  Frame
  Elliptic<dim>::frame(const Space<dim> &space)
  {
    make_medium(space);
    const Point<dim> origin = bounding_box<dim>(space.points()).center();

    // One, a, a^{-1} b, y, y y^T, log s and y log s, times the weights.
    double                  measure = 0, sum_of_log = 0;
    SymmetricTensor<2, dim> sum_of_a, sum_of_squares;
    Tensor<1, dim>          sum_of_drift, sum_of_y, sum_of_products;
    FEValues<dim>           values(space.mapping(),
                         space.fe(),
                         space.quadrature(),
                         update_quadrature_points | update_JxW_values);
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      if (cell->is_locally_owned())
        {
          values.reinit(cell);
          for (const auto q : values.quadrature_point_indices())
            {
              const auto          &point  = values.quadrature_point(q);
              const double         weight = values.JxW(q);
              const auto           a = diffusion(point, cell->material_id());
              const auto           b = advection(point, cell->material_id());
              const double         s = std::pow(determinant(a), 1. / dim);
              const Tensor<1, dim> y = point - origin;
              measure += weight;
              sum_of_log += weight * std::log(s);
              sum_of_a += weight / s * a;
              sum_of_drift += weight / 2 * (invert(a) * b);
              sum_of_y += weight * y;
              sum_of_squares += weight * symmetrize(outer_product(y, y));
              sum_of_products += weight * std::log(s) * y;
            }
        }
    const MPI_Comm communicator = space.communicator();
    measure                     = Collective::sum(communicator, measure);
    sum_of_log                  = Collective::sum(communicator, sum_of_log);
    for (auto *const sum : {&sum_of_a, &sum_of_squares})
      *sum = Utilities::MPI::sum(*sum, communicator) / measure;
    for (auto *const sum : {&sum_of_drift, &sum_of_y, &sum_of_products})
      *sum = Utilities::MPI::sum(*sum, communicator) / measure;
    const SymmetricTensor<2, dim> covariance =
      sum_of_squares - symmetrize(outer_product(sum_of_y, sum_of_y));
    const Tensor<1, dim> slope =
      invert(covariance) * (sum_of_products - sum_of_log / measure * sum_of_y);

    // Sums over other numbers of ranks differ in their last digits, which
    // would show in the atoms.
    const auto rounded = [](const double value, const double unit) {
      return unit * std::round(value / unit);
    };
    std::vector<double> tensor;
    for (unsigned int d = 0; d < dim; ++d)
      for (unsigned int e = 0; e < dim; ++e)
        tensor.push_back(rounded(sum_of_a[d][e], 1e-10));
    Frame                result = Frame::of_tensor(dim, tensor);
    const Tensor<1, dim> drift  = sum_of_drift + slope / 2;
    const double         size   = std::sqrt(trace(covariance));
    if (drift.norm() * size > smallest_drift &&
        drift.norm() * (origin.norm() + size) < largest_drift)
      for (unsigned int d = 0; d < dim; ++d)
        result.drift.push_back(rounded(drift[d], 1e-9 / size));
    return result;
  }


  template <int dim>
  void
  Elliptic<dim>::remark(const Ranges &ranges)
  {
    this->facts_.emplace_back(
      "diffusion",
      text("from ", ranges.least_diffusion, " to ", ranges.greatest_diffusion));
    if (medium_)
      this->facts_.emplace_back("medium", medium_->description());
    if (is_singular())
      {
        this->facts_.emplace_back("mean of u", "0");
        this->warnings_.emplace_back(
          "The problem has Neumann conditions only and no reaction: its "
          "solutions are determined up to a constant, and exist for some "
          "forcings only. Here the mean of u is zero, and a constant is "
          "subtracted from f (its mean, without advection).");
      }
    if (ranges.peclet > 1)
      this->warnings_.push_back(
        text("Advection dominates: |b| h / (2 a) is up to ",
             ranges.peclet,
             " on this mesh, and solutions may oscillate where it is above 1; "
             "refine the mesh ('Refinements' in section 'Domain')."));
  }


  template <int dim>
  SymmetricTensor<2, dim>
  Elliptic<dim>::diffusion(const Point<dim>        &point,
                           const types::material_id material) const
  {
    auto a = as_tensor<dim>(diffusion_.of(material), point);
    if (medium_ && !medium_->is_anisotropic())
      a *= medium_->value(point);
    else if (medium_)
      {
        // The tensor between the roots stays symmetric and positive.
        Tensor<1, dim> root;
        for (unsigned int d = 0; d < dim; ++d)
          root[d] = std::sqrt(medium_->value(point, d));
        for (unsigned int d = 0; d < dim; ++d)
          for (unsigned int e = 0; e <= d; ++e)
            a[d][e] *= root[d] * root[e];
      }
    return a;
  }


  template <int dim>
  Tensor<1, dim>
  Elliptic<dim>::advection(const Point<dim>        &point,
                           const types::material_id material) const
  {
    Tensor<1, dim> b;
    if (!advection_.empty())
      for (unsigned int d = 0; d < dim; ++d)
        b[d] = advection_.of(material)[d]->value(point);
    return b;
  }


  template <int dim>
  double
  Elliptic<dim>::reaction(const Point<dim>        &point,
                          const types::material_id material) const
  {
    return reaction_.empty() ? 0.
                             : reaction_.of(material).front()->value(point);
  }


  template <int dim>
  double
  Elliptic<dim>::robin(const Point<dim>        &point,
                       const types::boundary_id id) const
  {
    return conditions_.of(id) == BoundaryCondition::robin
             ? robin_.of(id).front()->value(point)
             : 0.;
  }


  template <int dim>
  bool
  Elliptic<dim>::vanishes_on_boundary() const
  {
    return !conditions_.may_have(BoundaryCondition::neumann) &&
           !conditions_.may_have(BoundaryCondition::robin);
  }


  template <int dim>
  bool
  Elliptic<dim>::vanishes_on(const types::boundary_id id) const
  {
    return conditions_.of(id) == BoundaryCondition::dirichlet;
  }


  template <int dim>
  void
  Elliptic<dim>::assemble_cell(const FEValues<dim> &values,
                               FullMatrix<double>  &cell_matrix) const
  {
    const auto  cell     = values.get_cell();
    const auto  material = cell->material_id();
    const auto &points   = values.get_quadrature_points();
    for (const auto q : values.quadrature_point_indices())
      {
        const auto   a = diffusion(points[q], material);
        const auto   b = advection(points[q], material);
        const double c = reaction(points[q], material);
        for (const auto j : values.dof_indices())
          {
            const Tensor<1, dim> flux = a * values.shape_grad(j, q);
            const double         rest =
              b * values.shape_grad(j, q) + c * values.shape_value(j, q);
            for (const auto i : values.dof_indices())
              cell_matrix(i, j) += (values.shape_grad(i, q) * flux +
                                    values.shape_value(i, q) * rest) *
                                   values.JxW(q);
          }
      }
    if (is_singular() && cell->center() == *anchor_)
      {
        std::vector<double> w(values.dofs_per_cell, 0.);
        for (const auto q : values.quadrature_point_indices())
          for (const auto i : values.dof_indices())
            w[i] += values.shape_value(i, q) * values.JxW(q);
        for (const auto i : values.dof_indices())
          for (const auto j : values.dof_indices())
            cell_matrix(i, j) += anchor_weight_ * w[i] * w[j];
      }
  }


  template <int dim>
  void
  Elliptic<dim>::assemble_face(const FEFaceValues<dim> &values,
                               const types::boundary_id id,
                               FullMatrix<double>      &cell_matrix) const
  {
    if (conditions_.of(id) != BoundaryCondition::robin)
      return;
    for (const auto q : values.quadrature_point_indices())
      {
        const double alpha = robin(values.quadrature_point(q), id);
        for (const auto i : values.dof_indices())
          for (const auto j : values.dof_indices())
            cell_matrix(i, j) += alpha * values.shape_value(i, q) *
                                 values.shape_value(j, q) * values.JxW(q);
      }
  }


  // A pure Neumann problem is held by a term of rank one: the product of the
  // integrals over one cell, which for compatible forcings makes no difference
  // but that the solution's integral there is zero.
  template <int dim>
  void
  Elliptic<dim>::find_anchor(const double diffusion)
  {
    using Candidate   = std::pair<bool, Point<dim>>;
    const auto &space = this->space();
    Candidate   own{false, Point<dim>()};
    double      diameter = 0;
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      if (cell->is_locally_owned() &&
          (!own.first || precedes(cell->center(), own.second)))
        {
          own      = {true, cell->center()};
          diameter = cell->diameter();
        }
    for (const auto &[has_cells, centre] :
         Utilities::MPI::all_gather(space.communicator(), own))
      if (has_cells && (!anchor_ || precedes(centre, *anchor_)))
        anchor_ = centre;
    diameter       = Collective::maximum(space.communicator(), diameter);
    anchor_weight_ = diffusion / std::pow(diameter, dim + 2);
  }


  template <int dim>
  void
  Elliptic<dim>::find_adjoint()
  {
    const auto &space = this->space();
    VectorType  one   = space.make_vector();
    one               = 1;
    integrals_        = one;
    space.mass_matrix().vmult(integrals_, one);
    measure_ = integrals_ * one;

    // A^T psi = 0 up to a factor: the solution for the integrals over the cell.
    FEValues<dim>                        values(space.mapping(),
                         space.fe(),
                         space.quadrature(),
                         update_values | update_JxW_values);
    std::vector<types::global_dof_index> dofs(space.fe().n_dofs_per_cell());
    VectorType over_cell = space.make_vector(/*ghosts=*/true);
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      if (cell->is_locally_owned() && cell->center() == *anchor_)
        {
          values.reinit(cell);
          cell->get_dof_indices(dofs);
          for (const auto q : values.quadrature_point_indices())
            for (const auto i : values.dof_indices())
              over_cell(dofs[i]) += values.shape_value(i, q) * values.JxW(q);
        }
    over_cell.compress(VectorOperation::add);
    space.condense(over_cell.begin(), 1);
    adjoint_            = one;
    const auto failures = this->linear_solver().solve(over_cell.begin(),
                                                      adjoint_.begin(),
                                                      1,
                                                      !is_definite_);
    if (!failures.empty())
      throw Error(
        "The problem with Neumann conditions only could not be "
        "solved: ",
        failures.front().reason,
        ".");
    space.distribute(adjoint_.begin(), 1);
    adjoint_ /= adjoint_ * integrals_;
    mass_times_adjoint_ = one;
    space.mass_matrix().vmult(mass_times_adjoint_, adjoint_);
  }


  template <int dim>
  std::vector<SolveFailure>
  Elliptic<dim>::solve_block(const double     *forcings,
                             double           *solutions,
                             const std::size_t n_samples)
  {
    if (!is_singular())
      return GalerkinProblem<dim>::solve_block(forcings, solutions, n_samples);

    // Subtracts from each column the constant that makes its product with the
    // weights zero, if that of the constant one is the total.
    const std::size_t n = this->space().n_local_nodes();
    const auto        balance =
      [&](const VectorType &weights, const double total, double *columns) {
        std::vector<double> sums(n_samples, 0.);
        for (std::size_t j = 0; j < n_samples; ++j)
          for (std::size_t i = 0; i < n; ++i)
            sums[j] += weights.local_element(i) * columns[j * n + i];
        Collective::sum(this->space().communicator(), sums);
        for (std::size_t j = 0; j < n_samples; ++j)
          for (std::size_t i = 0; i < n; ++i)
            columns[j * n + i] -= sums[j] / total;
      };
    std::vector<double> balanced(forcings, forcings + n * n_samples);
    balance(mass_times_adjoint_, 1., balanced.data());
    const auto failures =
      GalerkinProblem<dim>::solve_block(balanced.data(), solutions, n_samples);
    balance(integrals_, measure_, solutions);
    return failures;
  }


  template <int dim>
  void
  Elliptic<dim>::greens_function(const std::size_t node, VectorType &slice)
  {
    if (!is_singular())
      return GalerkinProblem<dim>::greens_function(node, slice);

    // The transpose of what solve_block() does.
    const auto &space = this->space();
    const auto  dof   = space.dof_of_node(node);
    VectorType  rhs   = integrals_;
    rhs /= -measure_;
    if (space.locally_owned_dofs().is_element(dof))
      rhs(dof) += 1;
    space.condense(rhs.begin(), 1);
    slice = rhs;
    const auto failures =
      this->linear_solver().solve(rhs.begin(), slice.begin(), 1, !is_definite_);
    if (!failures.empty())
      throw Error("The Green's function at node ",
                  node,
                  " could not be computed: ",
                  failures.front().reason,
                  ".");
    space.distribute(slice.begin(), 1);
    slice.add(-(integrals_ * slice), adjoint_);
  }


  template <int dim>
  std::vector<double>
  Elliptic<dim>::coefficient_at_nodes() const
  {
    const auto         &space = this->space();
    std::vector<double> result;
    // The mean over the cells of a node, by measure and at their middles.
    VectorType sums = space.make_vector(true), measures = sums;
    std::vector<types::global_dof_index> dofs(space.fe().n_dofs_per_cell());
    for (const auto &cell : space.dof_handler().active_cell_iterators())
      if (cell->is_locally_owned())
        {
          cell->get_dof_indices(dofs);
          const double mean =
            trace(diffusion(cell->center(), cell->material_id())) / dim;
          for (const auto dof : dofs)
            {
              sums(dof) += mean * cell->measure();
              measures(dof) += cell->measure();
            }
        }
    sums.compress(VectorOperation::add);
    measures.compress(VectorOperation::add);
    for (std::size_t i = 0; i < space.n_local_nodes(); ++i)
      result.push_back(sums.local_element(i) / measures.local_element(i));
    return result;
  }


  template class Elliptic<1>;
  template class Elliptic<2>;
  template class Elliptic<3>;
} // namespace Evergreen
