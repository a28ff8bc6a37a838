/** The devices of dynamic resource allocation, as slices and claims name them: read and counted. */
@NullMarked
package io.berth.operator.devices;

import org.jspecify.annotations.NullMarked;
