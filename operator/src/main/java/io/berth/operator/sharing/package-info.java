/** Coexistence with other schedulers and with kubelets on shared nodes. */
@NullMarked
package io.berth.operator.sharing;

import org.jspecify.annotations.NullMarked;
