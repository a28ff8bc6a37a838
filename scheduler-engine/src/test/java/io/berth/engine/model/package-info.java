@NullMarked
package io.berth.engine.model;

import org.jspecify.annotations.NullMarked;
