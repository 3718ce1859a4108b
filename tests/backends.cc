#include "backends.h"

namespace Evergreen
{
  namespace Testing
  {
    std::vector<std::string>
    backends_under_test()
    {
      return {"cpu", "reference", "cuda"};
    }
  } // namespace Testing
} // namespace Evergreen
