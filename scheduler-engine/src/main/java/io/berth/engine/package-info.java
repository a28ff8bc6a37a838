@NullMarked
package io.berth.engine;

import org.jspecify.annotations.NullMarked;
