/**
 * Policies, configs, and bindings from the view of a user: applied, changed, broken, and deleted.
 */
@NullMarked
package io.berth.demo.policy;

import org.jspecify.annotations.NullMarked;
