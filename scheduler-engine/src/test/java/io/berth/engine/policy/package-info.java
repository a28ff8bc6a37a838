@NullMarked
package io.berth.engine.policy;

import org.jspecify.annotations.NullMarked;
