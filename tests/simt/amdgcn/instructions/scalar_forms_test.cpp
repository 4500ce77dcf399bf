// Every scalar instruction that computes, with all that its operands can be.
#include "scalar_form.h"

#include <gtest/gtest.h>

namespace gantry::simt::amdgcn {
namespace {

class ScalarForms : public testing::TestWithParam<ScalarForm> {};

TEST_P(ScalarForms, GiveWhatTheReferenceGives) {
  Machine machine(*find_processor("gfx906"));
  EXPECT_GT(run_scalar_form(machine, GetParam()), 8U);
}

INSTANTIATE_TEST_SUITE_P(All, ScalarForms, testing::ValuesIn(scalar_forms()),
                         [](const testing::TestParamInfo<ScalarForm>& parameter) {
                           return std::string(parameter.param.name);
                         });

} // namespace
} // namespace gantry::simt::amdgcn
