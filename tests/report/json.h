// Reads figures by a parser that is not the one that wrote them.

#ifndef evergreen_tests_report_json_h
#define evergreen_tests_report_json_h

// The parser of this Boost uses the old placeholders, and Boost says so.
#define BOOST_BIND_GLOBAL_PLACEHOLDERS
#include <boost/property_tree/json_parser.hpp>

#include <string>
#include <vector>

namespace Evergreen
{
  namespace Testing
  {
    using Tree = boost::property_tree::ptree;

    inline Tree
    read_json(const std::string &path)
    {
      Tree tree;
      boost::property_tree::read_json(path, tree);
      return tree;
    }


    /** The elements of a list. */
    inline std::vector<Tree>
    children(const Tree &tree, const std::string &key)
    {
      std::vector<Tree> result;
      for (const auto &child : tree.get_child(key))
        result.push_back(child.second);
      return result;
    }


    /** A list of texts, or of numbers as they are written. */
    inline std::vector<std::string>
    texts(const Tree &tree, const std::string &key)
    {
      std::vector<std::string> result;
      for (const Tree &child : children(tree, key))
        result.push_back(child.data());
      return result;
    }


    inline std::vector<double>
    numbers(const Tree &tree, const std::string &key)
    {
      std::vector<double> result;
      for (const Tree &child : children(tree, key))
        result.push_back(child.get_value<double>());
      return result;
    }
  } // namespace Testing
} // namespace Evergreen

#endif
