// Every vector instruction in every encoding that gfx906 has of it, or gfx90a if that one has none;
// and in those of gfx1100, in waves of 32 lanes and of 64.
#include "names.h"
#include "vector_form.h"

#include <gtest/gtest.h>

namespace gantry::simt::amdgcn {
namespace {

class VectorForms : public testing::TestWithParam<VectorForm> {};

TEST_P(VectorForms, GiveWhatTheReferenceGives) {
  const VectorForm& form = GetParam();
  unsigned count = 0;
  for (const char* const name : {"gfx906", "gfx90a"}) {
    if (count == 0) {
      Machine machine(*find_processor(name));
      count = run_vector_form(machine, form, form.name);
    }
  }
  const Processor& gfx1100 = *find_processor("gfx1100");
  for (const unsigned lanes : {32U, 64U}) {
    Machine machine(gfx1100, lanes);
    count += run_vector_form(machine, form, name_on(gfx1100, form.name));
  }
  EXPECT_GT(count, 4U);
  RecordProperty("encodings", static_cast<int>(count));
}

std::string name_of(const testing::TestParamInfo<VectorForm>& parameter) {
  return parameter.param.name;
}

INSTANTIATE_TEST_SUITE_P(Integer, VectorForms, testing::ValuesIn(integer_forms()), name_of);
INSTANTIATE_TEST_SUITE_P(Float, VectorForms, testing::ValuesIn(float_forms()), name_of);
INSTANTIATE_TEST_SUITE_P(Conversion, VectorForms, testing::ValuesIn(conversion_forms()), name_of);
INSTANTIATE_TEST_SUITE_P(Comparison, VectorForms, testing::ValuesIn(comparison_forms()), name_of);
INSTANTIATE_TEST_SUITE_P(Half, VectorForms, testing::ValuesIn(half_forms()), name_of);

} // namespace
} // namespace gantry::simt::amdgcn
