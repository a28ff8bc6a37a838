/** Creates the ahead-of-time cache of berth.jar from a run on an embedded cluster. */
@NullMarked
package io.berth.demo.aot;

import org.jspecify.annotations.NullMarked;
