@NullMarked
package io.berth.demo.autoscaler;

import org.jspecify.annotations.NullMarked;
