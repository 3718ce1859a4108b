// Finished experiments are found again, and damaged ones are not believed.

#include "reproduce/measurement.h"
#include "testing.h"

#include <cmath>

using namespace Evergreen;
using namespace Evergreen::Reproduce;
using namespace Evergreen::Testing;

namespace
{
  Measurement
  example()
  {
    Measurement m;
    m.eps_u             = 1. / 3.;
    m.other_eps_u       = {0.1, Measurement::unknown, 1e-300};
    m.neurons           = 320;
    m.slices            = 742;
    m.rank              = 377;
    m.n_training        = 1000;
    m.n_validation      = 100;
    m.n_test            = 500;
    m.atoms             = "ReLU \"ridge\" functions";
    m.theoretical_slope = -1.25;
    m.history_neurons   = {1, 2, 320};
    m.history_eps_u     = {0.5, 0.25, 1. / 3.};
    m.history_eps_G     = {0.7, Measurement::unknown, 0.1};
    m.singular_values   = {3, 2, 1e-17};
    m.seconds_data      = 0.1;
    m.seconds_learning  = 12.5;
    m.peak_memory       = 1.25;
    m.was_resumed       = true;
    m.date              = "2026-01-31 12:34 UTC";
    m.commit            = "0123456789ab";
    return m;
  }


  void
  expect_same(const std::vector<double> &a, const std::vector<double> &b)
  {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))
        << i << ": " << a[i] << " " << b[i];
  }
} // namespace


TEST(RowStore, FindsWhatWasSaved)
{
  const TemporaryDirectory directory;
  std::string              notice;
  const Measurement        saved = example();
  {
    const RowStore store(directory / "deep/rows");
    EXPECT_FALSE(store.find("disk", "a key\nof lines", notice));
    EXPECT_EQ(notice, "");
    store.save("disk", "a key\nof lines", saved);
  }
  const RowStore store(directory / "deep/rows");
  const auto     found = store.find("disk", "a key\nof lines", notice);
  ASSERT_TRUE(found) << notice;
  EXPECT_EQ(found->eps_u, saved.eps_u);
  EXPECT_TRUE(std::isnan(found->eps_G));
  expect_same(found->other_eps_u, saved.other_eps_u);
  EXPECT_EQ(found->neurons, saved.neurons);
  EXPECT_EQ(found->slices, saved.slices);
  EXPECT_EQ(found->rank, saved.rank);
  EXPECT_EQ(found->n_training, saved.n_training);
  EXPECT_EQ(found->n_validation, saved.n_validation);
  EXPECT_EQ(found->n_test, saved.n_test);
  EXPECT_EQ(found->atoms, saved.atoms);
  EXPECT_EQ(found->theoretical_slope, saved.theoretical_slope);
  EXPECT_EQ(found->history_neurons, saved.history_neurons);
  expect_same(found->history_eps_u, saved.history_eps_u);
  expect_same(found->history_eps_G, saved.history_eps_G);
  expect_same(found->singular_values, saved.singular_values);
  EXPECT_EQ(found->seconds(), saved.seconds());
  EXPECT_EQ(found->peak_memory, 1.25);
  EXPECT_TRUE(found->was_resumed);
  EXPECT_EQ(found->date, saved.date);
  EXPECT_EQ(found->commit, saved.commit);
  // Another experiment has another file.
  EXPECT_FALSE(store.find("disk", "another key", notice));
  EXPECT_EQ(notice, "");
}


TEST(RowStore, DoesNotBelieveDamagedFiles)
{
  const TemporaryDirectory directory;
  const RowStore           store(directory / "rows");
  std::string              notice;
  store.save("disk", "key", example());
  const std::string path  = store.path("disk", "key");
  const std::string whole = bytes_of(path);
  ASSERT_TRUE(store.find("disk", "key", notice));

  const auto is_refused = [&](const std::string &content) {
    std::ofstream(path, std::ios::binary) << content;
    return !store.find("disk", "key", notice) &&
           notice.find(path) != std::string::npos;
  };
  EXPECT_TRUE(is_refused(""));
  for (const std::size_t length :
       {std::size_t(1), whole.size() / 3, whole.size() / 2, whole.size() - 3})
    EXPECT_TRUE(is_refused(whole.substr(0, length))) << length;
  EXPECT_TRUE(is_refused("[1, 2, 3]"));
  EXPECT_TRUE(is_refused("{\"format\": 7}"));
  const auto replaced = [&](const std::string &from, const std::string &to) {
    std::string       content = whole;
    const std::size_t place   = content.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return content.replace(place, from.size(), to);
  };
  EXPECT_TRUE(is_refused(replaced("\"key\": \"key\"", "\"key\": \"other\"")));
  EXPECT_TRUE(is_refused(replaced("\"version\": 2", "\"version\": 99")));
  EXPECT_TRUE(is_refused(replaced("\"neurons\": 320", "\"neurons\": \"x\"")));
  EXPECT_TRUE(is_refused(replaced("\"rank\"", "\"tank\"")));
  // A history with a point too few.
  Measurement shorter = example();
  shorter.history_eps_u.pop_back();
  EXPECT_TRUE(is_refused(shorter.to_json("key")));
  EXPECT_FALSE(is_refused(whole));
}


TEST(RowStore, IsNotConfusedByAnInterruptedWrite)
{
  const TemporaryDirectory directory;
  const RowStore           store(directory / "rows");
  std::string              notice;
  const std::string        beside = store.path("disk", "key") + ".new";
  std::ofstream(beside) << "{\"form";
  EXPECT_FALSE(store.find("disk", "key", notice));
  EXPECT_EQ(notice, "");
  store.save("disk", "key", example());
  EXPECT_TRUE(store.find("disk", "key", notice));
  EXPECT_FALSE(std::filesystem::exists(beside));
}


TEST(RowStore, SaysWhereItCannotWrite)
{
  const TemporaryDirectory directory;
  std::ofstream(directory / "file") << "in the way";
  EXPECT_NE(error_of([&]() {
              RowStore(directory / "file/rows");
            }).find("file/rows"),
            std::string::npos);
  EXPECT_NE(error_of([&]() {
              write_file(directory / "no/x", "x");
            }).find("no/x"),
            std::string::npos);
}


// The published test vectors of FNV-1a with 64 bits.
TEST(TextHash, IsFnv1a)
{
  EXPECT_EQ(text_hash(""), "cbf29ce484222325");
  EXPECT_EQ(text_hash("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(text_hash("foobar"), "85944171f73967e8");
}
