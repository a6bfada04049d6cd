// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace numatch {
inline namespace numa_v1 {

template <class Signature>
class function_ref;

/// A callable that somebody else owns, for a call that ends before its owner does: no allocation,
/// two words.
template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
 public:
  /// Of a callable that outlives it; implicit, so that a lambda can be passed.
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, function_ref> &&
             std::is_invocable_r_v<Result, F&, Arguments...>)
  function_ref(
      F&& callable)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<F>*>(object))(
              std::forward<Arguments>(arguments)...);
        }) {}

  /// Calls it.
  Result operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace numa_v1
}  // namespace numatch
