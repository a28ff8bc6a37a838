/** Simulated cluster autoscalers, which buy and remove nodes as the real ones do. */
@NullMarked
package io.berth.demo.autoscaler;

import org.jspecify.annotations.NullMarked;
