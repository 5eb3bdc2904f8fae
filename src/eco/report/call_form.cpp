// SPDX-License-Identifier: BSD-3-Clause
#include "eco/report/call_form.h"

#include "eco/base/error.h"

namespace eco {

const char* to_text(CallForm form) {
    switch (form) {
        case CallForm::blocking:
            return "blocking";
        case CallForm::nonblocking:
            return "nonblocking";
        case CallForm::persistent:
            break;
    }
    return "persistent";
}

CallForm parse_call_form(const std::string& text) {
    for (const CallForm form : {CallForm::blocking, CallForm::nonblocking, CallForm::persistent})
        if (text == to_text(form)) return form;
    throw Error(Code::bad_input, "unknown form " + text);
}

std::string name_in_form(const std::string& operation, CallForm form) {
    switch (form) {
        case CallForm::blocking:
            break;
        case CallForm::nonblocking:
            return "i" + operation;
        case CallForm::persistent:
            return operation + "_init";
    }
    return operation;
}

}  // namespace eco
