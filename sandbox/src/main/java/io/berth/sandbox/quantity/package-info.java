/** Kubernetes quantities: parsing, arithmetic, and printing as in the API server. */
@NullMarked
package io.berth.sandbox.quantity;

import org.jspecify.annotations.NullMarked;
