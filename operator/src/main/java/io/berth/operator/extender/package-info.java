/** HTTP extenders: what they are asked, by kube-scheduler's protocol, and what they answer. */
@NullMarked
package io.berth.operator.extender;

import org.jspecify.annotations.NullMarked;
