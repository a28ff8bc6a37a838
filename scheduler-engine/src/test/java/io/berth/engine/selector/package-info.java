@NullMarked
package io.berth.engine.selector;

import org.jspecify.annotations.NullMarked;
