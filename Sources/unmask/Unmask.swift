import ArgumentParser
@main
struct Unmask: ParsableCommand {}
