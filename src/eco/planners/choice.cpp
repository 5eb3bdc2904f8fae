// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/choice.h"

#include <array>
#include <type_traits>

namespace eco {

template <typename... Own>
static Parameters parameters_of(Family family, std::type_identity<std::variant<Own...>>) {
    static constexpr std::array<Parameters (*)(), sizeof...(Own)> initial{
        []() -> Parameters { return Own{}; }...};
    return initial[static_cast<std::size_t>(family)]();
}

Choice::Choice(Family family, int segments)
    : parameters(parameters_of(family, std::type_identity<Parameters>())), segments(segments) {}

// A member that a tree and an exchange have.
template <typename Member>
static auto of_either(const Parameters& parameters, Member member,
                      decltype(member(TreeParameters{})) otherwise) {
    if (const auto* tree = std::get_if<TreeParameters>(&parameters)) return member(*tree);
    if (const auto* exchange = std::get_if<ExchangeParameters>(&parameters))
        return member(*exchange);
    return otherwise;
}

Form Choice::top() const {
    return of_either(parameters, [](const auto& of) { return of.top; }, {});
}
Form Choice::inner() const {
    return of_either(parameters, [](const auto& of) { return of.inner; }, {});
}
Rotate Choice::rotate() const {
    return of_either(parameters, [](const auto& of) { return of.rotate; }, Rotate::none);
}
int Choice::straight() const {
    return of_either(parameters, [](const auto& of) { return of.straight; }, 0);
}
bool Choice::native_inside() const {
    return of_either(parameters, [](const auto& of) { return of.native_inside; }, false);
}

const std::vector<Form>& Choice::below() const {
    static const auto& none = *new std::vector<Form>;  // never destroyed
    const auto* tree = std::get_if<TreeParameters>(&parameters);
    return tree ? tree->below : none;
}
bool Choice::split() const {
    const auto* exchange = std::get_if<ExchangeParameters>(&parameters);
    return exchange && exchange->split;
}
int Choice::carriers() const {
    const auto* exchange = std::get_if<ExchangeParameters>(&parameters);
    return exchange ? exchange->carriers : 0;
}

void Choice::set_rotate(Rotate rotate) {
    if (family() == Family::tree)
        tree().rotate = rotate;
    else
        exchange().rotate = rotate;
}
void Choice::set_native_inside(bool inside) {
    if (family() == Family::tree)
        tree().native_inside = inside;
    else
        exchange().native_inside = inside;
}

}  // namespace eco
