// A learned twin: plain data, the same on every rank, and its file.

#ifndef evergreen_twin_learned_twin_h
#define evergreen_twin_learned_twin_h

#include <evergreen/fem/mesh_data.h>
#include <evergreen/twin/csr_matrix.h>
#include <evergreen/twin/twin_data.h>

#include <cstddef>
#include <string>
#include <vector>

namespace Evergreen
{
  /** Which neighbours and which ridge, and what came out. */
  struct TwinChoice
  {
    /** How many rings of values and of moments (of their own width). */
    unsigned int value_rings  = 1;
    MomentWidth  width        = MomentWidth::full;
    unsigned int moment_rings = 1;

    double ridge = 0;

    /** Whether the ridge pulls towards the common row of inner nodes. */
    bool pooled = false;

    /** Coefficients of the longest row. */
    std::size_t n_coefficients = 0;

    /**
     * The relative error of answers to samples that were left out: the mean,
     * and the geometric mean, by which the choice is made.
     */
    double error   = 0;
    double typical = 0;
  };

  /** A choice in words. */
  std::string
  description(const TwinChoice &choice);


  /**
   * \f$\sum_ka_{sk}u(x_k)=\sum_kb_{sk}\hat f_k\f$ for the free nodes s of a
   * mesh, with the moments \f$\hat f_k=\int f\varphi_k/\int\varphi_k\f$.
   */
  struct LearnedTwin
  {
    /** The nodes of the twin, and whether they are those of the solver. */
    MeshData mesh;
    bool     is_own = false;

    /** Where answers may be other than zero: rows and columns of A. */
    std::vector<std::size_t> free;

    /** Free nodes by free nodes, and free nodes by moments. */
    CsrMatrix a, b;

    TwinChoice  choice;
    std::size_t n_samples = 0;

    /**
     * The largest share of a training forcing that the finest hats do not see;
     * negative if it is unknown.
     */
    double unseen = -1;

    /** The .prm text that the twin was made with. */
    std::string parameters;

    std::size_t
    n_moments() const
    {
      return b.n_columns;
    }

    /** Writes the file @p path; see doc/twin.md. */
    void
    save(const std::string &path) const;

    /** Reads a file, or throws an Error that says what is wrong with it. */
    static LearnedTwin
    load(const std::string &path);

    /** Whether a file is one of a twin; false if it cannot be read. */
    static bool
    is_file(const std::string &path);
  };
} // namespace Evergreen

#endif
