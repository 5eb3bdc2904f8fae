// SPDX-License-Identifier: BSD-3-Clause
// Fills native() from SMPI, which the program is linked with. Called once by main().
#pragma once

namespace eco {

void fill_from_smpi();

}  // namespace eco
