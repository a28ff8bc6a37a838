@NullMarked
package io.berth.demo.story;

import org.jspecify.annotations.NullMarked;
