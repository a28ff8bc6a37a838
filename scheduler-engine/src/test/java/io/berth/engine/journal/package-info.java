@NullMarked
package io.berth.engine.journal;

import org.jspecify.annotations.NullMarked;
