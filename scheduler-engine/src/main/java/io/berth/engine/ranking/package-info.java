/**
 * The order of nodes by total score, maintained from pod to pod instead of being computed for each.
 */
@NullMarked
package io.berth.engine.ranking;

import org.jspecify.annotations.NullMarked;
