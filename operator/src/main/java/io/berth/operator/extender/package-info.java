/** HTTP extenders, called with kube-scheduler's protocol. */
@NullMarked
package io.berth.operator.extender;

import org.jspecify.annotations.NullMarked;
