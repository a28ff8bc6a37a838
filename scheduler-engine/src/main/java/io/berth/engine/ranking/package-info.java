/** The order of nodes by total score, kept from pod to pod instead of being summed up for each. */
@NullMarked
package io.berth.engine.ranking;

import org.jspecify.annotations.NullMarked;
