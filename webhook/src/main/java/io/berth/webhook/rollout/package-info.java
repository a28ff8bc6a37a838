/** The revision of a policy or config that applies to a pod while a change is rolled out. */
@NullMarked
package io.berth.webhook.rollout;

import org.jspecify.annotations.NullMarked;
