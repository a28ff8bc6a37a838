/** Coexistence with other schedulers and kubelets on shared nodes. */
@NullMarked
package io.berth.operator.sharing;

import org.jspecify.annotations.NullMarked;
