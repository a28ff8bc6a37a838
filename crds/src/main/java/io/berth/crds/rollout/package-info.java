/** Types of the gradual rollout of changed policies and configs. */
@NullMarked
package io.berth.crds.rollout;

import org.jspecify.annotations.NullMarked;
