@NullMarked
package io.berth.engine.plugins;

import org.jspecify.annotations.NullMarked;
