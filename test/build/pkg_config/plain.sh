c++ -std=c++17 $(pkg-config --cflags tessera) main.cpp -o main $(pkg-config --libs tessera)
