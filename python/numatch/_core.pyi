# SPDX-License-Identifier: Apache-2.0
# What python/bindings/ defines; every function may raise numatch.NumatchError.

__version__: str
