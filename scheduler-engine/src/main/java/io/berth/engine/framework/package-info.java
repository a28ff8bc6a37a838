/** The interfaces of scheduling algorithms: the contracts between plugins and cycle. */
@NullMarked
package io.berth.engine.framework;

import org.jspecify.annotations.NullMarked;
