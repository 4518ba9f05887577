__thread int outside = 42;
