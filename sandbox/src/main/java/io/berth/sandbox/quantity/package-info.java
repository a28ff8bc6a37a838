/** Kubernetes quantities: reading, adding and printing them as the API server does. */
@NullMarked
package io.berth.sandbox.quantity;

import org.jspecify.annotations.NullMarked;
