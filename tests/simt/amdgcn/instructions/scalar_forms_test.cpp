// Every scalar instruction that computes, with all that its operands can be.
#include "names.h"
#include "scalar_form.h"

#include <gtest/gtest.h>

namespace gantry::simt::amdgcn {
namespace {

class ScalarForms : public testing::TestWithParam<ScalarForm> {};

TEST_P(ScalarForms, GiveWhatTheReferenceGives) {
  const ScalarForm& form = GetParam();
  unsigned count = 0;
  for (const char* const name : {"gfx906", "gfx1100"}) {
    Machine machine(*find_processor(name));
    count += run_scalar_form(machine, form, name_on(machine.processor(), form.name));
  }
  EXPECT_GT(count, 8U);
}

INSTANTIATE_TEST_SUITE_P(All, ScalarForms, testing::ValuesIn(scalar_forms()),
                         [](const testing::TestParamInfo<ScalarForm>& parameter) {
                           return std::string(parameter.param.name);
                         });

} // namespace
} // namespace gantry::simt::amdgcn
