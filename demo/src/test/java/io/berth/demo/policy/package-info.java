/** Policies, configs and bindings as their users meet them: applied, changed, broken, deleted. */
@NullMarked
package io.berth.demo.policy;

import org.jspecify.annotations.NullMarked;
