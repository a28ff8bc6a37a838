/** What Berth does on nodes where other schedulers, and kubelets, have a say too. */
@NullMarked
package io.berth.operator.sharing;

import org.jspecify.annotations.NullMarked;
