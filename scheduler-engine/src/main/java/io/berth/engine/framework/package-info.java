/** What a scheduling algorithm has to say, and to whom: the contracts between plugins and cycle. */
@NullMarked
package io.berth.engine.framework;

import org.jspecify.annotations.NullMarked;
