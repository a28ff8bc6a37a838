/** Tests of what follows pods and groups from their arrival to their Binding. */
@NullMarked
package io.berth.engine.lifecycle;

import org.jspecify.annotations.NullMarked;
