#include <evergreen/base/collective.h>
#include <evergreen/base/error.h>
#include <evergreen/surrogate/node_map.h>

#include <deal.II/dofs/dof_tools.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace Evergreen
{
  using namespace dealii;

  namespace
  {
    /** Finds nodes by their place: they are sorted by their first coordinate.
     */
    template <int dim>
    class NodeFinder
    {
    public:
      explicit NodeFinder(const MeshData &mesh) : order_(mesh.n_nodes())
      {
        std::iota(order_.begin(), order_.end(), 0);
        points_.resize(mesh.n_nodes());
        for (std::size_t i = 0; i < points_.size(); ++i)
          for (unsigned int d = 0; d < dim; ++d)
            points_[i][d] = mesh.points[i * dim + d];
        std::sort(order_.begin(),
                  order_.end(),
                  [&](const auto i, const auto j) {
                    return points_[i][0] < points_[j][0];
                  });
        const double length =
          points_[order_.back()][0] - points_[order_.front()][0];
        tolerance_ = 1e-8 * length;
      }

      /** The node at a point, or the number of nodes if there is none. */
      std::size_t
      operator()(const Point<dim> &x) const
      {
        auto place = std::lower_bound(order_.begin(),
                                      order_.end(),
                                      x[0] - tolerance_,
                                      [&](const auto i, const double value) {
                                        return points_[i][0] < value;
                                      });
        for (; place != order_.end() && points_[*place][0] <= x[0] + tolerance_;
             ++place)
          if (points_[*place].distance(x) <= 2 * tolerance_)
            return *place;
        return order_.size();
      }

    private:
      std::vector<Point<dim>>  points_;
      std::vector<std::size_t> order_;
      double                   tolerance_;
    };
  } // namespace


  template <int dim>
  NodeMap<dim>::NodeMap(const MeshData        &mesh,
                        const DoFHandler<dim> &dof_handler,
                        const Mapping<dim>    &mapping)
    : communicator_(Compat::communicator(dof_handler))
    , owned_(dof_handler.locally_owned_dofs())
    , dof_of_node_(mesh.n_nodes())
  {
    std::map<types::global_dof_index, Point<dim>> support_points;
    collectively(communicator_, [&]() {
      if (mesh.n_nodes() != dof_handler.n_dofs())
        throw Error("This kernel is for another mesh: it has ",
                    mesh.n_nodes(),
                    " nodes, but the finite element space has ",
                    dof_handler.n_dofs(),
                    " degrees of freedom.");
      if (!owned_.is_contiguous())
        throw Error("The degrees of freedom of a rank must be contiguous.");
    });
    DoFTools::map_dofs_to_support_points(mapping, dof_handler, support_points);
    collectively(communicator_, [&]() {
      const NodeFinder<dim> find(mesh);
      for (const auto dof : owned_)
        {
          local_nodes_.push_back(find(support_points.at(dof)));
          if (local_nodes_.back() == mesh.n_nodes())
            throw Error("This kernel is for another mesh: it has no node at (",
                        support_points.at(dof),
                        ").");
        }
    });

    const auto  all = Utilities::MPI::all_gather(communicator_, local_nodes_);
    std::size_t dof = 0;
    for (const auto &nodes : all)
      {
        starts_.push_back(dof);
        counts_.push_back(nodes.size());
        for (const auto node : nodes)
          dof_of_node_[node] = dof++;
      }
  }


  template <int dim>
  std::vector<double>
  NodeMap<dim>::gather(const double *local, const std::size_t n_columns) const
  {
    std::vector<double> result(n_dofs() * n_columns);
    for (std::size_t j = 0; j < n_columns; ++j)
      MPI_Allgatherv(local + j * n_local(),
                     static_cast<int>(n_local()),
                     MPI_DOUBLE,
                     &result[j * n_dofs()],
                     counts_.data(),
                     starts_.data(),
                     MPI_DOUBLE,
                     communicator_);
    return result;
  }


  template class NodeMap<1>;
  template class NodeMap<2>;
  template class NodeMap<3>;
} // namespace Evergreen
